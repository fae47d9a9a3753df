# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Written by scripts/update_docs.py from the documentation of the single modules: edit that instead.

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  tcp_edges:
    description:
      - TCP edges, each listed once.
      - An edge module that an entry leaves out is not touched, unless O(purge) is set.
    type: list
    elements: dict
    suboptions:
      id:
        description:
          - The id of the edge.
        type: str
        required: true
      name:
        description:
          - What people call the edge. It is shown beside the id in messages and reports, and never sent.
        type: str
      backend:
        description:
          - Sets or removes the backend module of a TCP edge, which names the backend that serves the edge's traffic.
          - It takes the options of M(edgeops.edges.tcp_edge_backend).
        type: dict
        suboptions:
          state:
            description:
              - V(present) sets the configuration of the edge module if it differs from what the task asks for.
              - V(absent) removes the configuration. The edge module's other options are then ignored.
              - To disable the edge module and keep its configuration, use V(present) with O(tcp_edges[].backend.enabled=false).
            type: str
            choices:
              - present
              - absent
            default: present
          enabled:
            description:
              - Whether the edge module is applied to traffic. If it is left out it is V(true), as in the service.
                The current value is not kept.
            type: bool
            default: true
          backend_id:
            description:
              - The id of the backend that serves the edge's traffic.
              - Required when O(tcp_edges[].backend.state=present).
            type: str
  tls_edges:
    description:
      - TLS edges, each listed once.
      - An edge module that an entry leaves out is not touched, unless O(purge) is set.
    type: list
    elements: dict
    suboptions:
      id:
        description:
          - The id of the edge.
        type: str
        required: true
      name:
        description:
          - What people call the edge. It is shown beside the id in messages and reports, and never sent.
        type: str
      ip_restriction:
        description:
          - Sets or removes the IP restriction module of a TLS edge, which names the IP policies that decide whether
            a source IP address may access the endpoint.
          - It takes the options of M(edgeops.edges.tls_edge_ip_restriction).
        type: dict
        suboptions:
          state:
            description:
              - V(present) sets the configuration of the edge module if it differs from what the task asks for.
              - V(absent) removes the configuration. The edge module's other options are then ignored.
              - To disable the edge module and keep its configuration, use V(present) with O(tls_edges[].ip_restriction.enabled=false).
            type: str
            choices:
              - present
              - absent
            default: present
          enabled:
            description:
              - Whether the edge module is applied to traffic. If it is left out it is V(true), as in the service.
                The current value is not kept.
            type: bool
            default: true
          ip_policy_ids:
            description:
              - The ids of all the IP policies to check. They are compared as a set, because order and repeated
                ids have no effect on access. They are sent in the order given.
              - Required when O(tls_edges[].ip_restriction.state=present). An empty list clears the policies.
            type: list
            elements: str
      tls_termination:
        description:
          - Sets or removes the TLS termination module of a TLS edge, which selects where TLS is terminated, and
            the minimum TLS version.
          - It takes the options of M(edgeops.edges.tls_edge_tls_termination).
        type: dict
        suboptions:
          state:
            description:
              - V(present) sets the configuration of the edge module if it differs from what the task asks for.
              - V(absent) removes the configuration. The edge module's other options are then ignored.
              - To disable the edge module and keep its configuration, use V(present) with O(tls_edges[].tls_termination.enabled=false).
            type: str
            choices:
              - present
              - absent
            default: present
          enabled:
            description:
              - Whether the edge module is applied to traffic. If it is left out it is V(true), as in the service.
                The current value is not kept.
            type: bool
            default: true
          terminate_at:
            description:
              - V(edge) terminates TLS at the service's edge.
              - V(upstream) passes TLS to the upstream, which terminates it. The service then refuses most other
                modules of the edge, because they need to see the traffic.
              - Required when O(tls_edges[].tls_termination.state=present).
            type: str
            choices:
              - edge
              - upstream
          min_version:
            description:
              - The minimum TLS version, a dotted number such as V(1.2). Quote it, so that YAML does not read a
                number.
              - If it is left out, it is neither compared nor changed. If nothing is set yet, the service chooses
                a default.
              - V(default) sets no version, so that the service chooses one. It is equal only to a configuration
                without a version.
              - It must be left out with O(tls_edges[].tls_termination.terminate_at=upstream), and is then null.
            type: str
  https_edges:
    description:
      - HTTPS edges, each listed once.
      - An edge module that an entry leaves out is not touched, unless O(purge) is set.
    type: list
    elements: dict
    suboptions:
      id:
        description:
          - The id of the edge.
        type: str
        required: true
      name:
        description:
          - What people call the edge. It is shown beside the id in messages and reports, and never sent.
        type: str
      routes:
        description:
          - The routes of the edge, each listed once.
        type: list
        elements: dict
        suboptions:
          id:
            description:
              - The id of the route.
            type: str
            required: true
          name:
            description:
              - What people call the route. It is shown beside the id in messages and reports, and never sent.
            type: str
          traffic_policy:
            description:
              - Sets or removes the traffic policy module of a route of an HTTPS edge, which applies a traffic policy
                document to the route's traffic.
              - It takes the options of M(edgeops.edges.https_edge_route_traffic_policy).
            type: dict
            suboptions:
              state:
                description:
                  - V(present) sets the configuration of the edge module if it differs from what the task asks for.
                  - V(absent) removes the configuration. The edge module's other options are then ignored.
                  - To disable the edge module and keep its configuration, use V(present) with O(https_edges[].routes[].traffic_policy.enabled=false).
                type: str
                choices:
                  - present
                  - absent
                default: present
              enabled:
                description:
                  - Whether the edge module is applied to traffic. If it is left out it is V(true), as in the service.
                    The current value is not kept.
                type: bool
                default: true
              value:
                description:
                  - The traffic policy, as a dict or as text that contains a JSON object.
                  - It is compared as JSON. The order of keys, white space and escapes do not matter, the order
                    of lists does. V(1) and V(true) differ, V(1) and V(1.0) do not.
                  - Quote keys that YAML does not read as text, such as C(on), C(no), C(~), C(1.10) or C(8080),
                    and values that it reads as a date and time, at any depth. Unquoted ones are refused, because
                    the text that was written is already lost.
                  - The mask V(VALUE_SPECIFIED_IN_NO_LOG_PARAMETER), as which secrets are shown, keeps the value
                    that the service holds at the same place. In a list, that is the one item that is equal apart
                    from masks. In a list that is equal as a whole, each item keeps its own value. If there is no
                    such value, or several items fit, the task fails and names the place. So write the secrets of
                    a rule that you edit.
                  - Required when O(https_edges[].routes[].traffic_policy.state=present).
                type: raw
                aliases:
                  - policy
              secret_headers:
                description:
                  - The names of further headers whose values are secret.
                  - It also applies with O(https_edges[].routes[].traffic_policy.state=absent), because the diff
                    shows what is removed.
                type: list
                elements: str
              secret_keys:
                description:
                  - The names of further keys under which everything is secret.
                  - It also applies with O(https_edges[].routes[].traffic_policy.state=absent), because the diff
                    shows what is removed.
                type: list
                elements: str
          request_headers:
            description:
              - Sets or removes the request headers module of a route of an HTTPS edge, which adds and removes headers
                on requests before they reach the upstream application server.
              - It takes the options of M(edgeops.edges.https_edge_route_request_headers).
            type: dict
            suboptions:
              state:
                description:
                  - V(present) sets the configuration of the edge module if it differs from what the task asks for.
                  - V(absent) removes the configuration. The edge module's other options are then ignored.
                  - To disable the edge module and keep its configuration, use V(present) with O(https_edges[].routes[].request_headers.enabled=false).
                type: str
                choices:
                  - present
                  - absent
                default: present
              enabled:
                description:
                  - Whether the edge module is applied to traffic. If it is left out it is V(true), as in the service.
                    The current value is not kept.
                type: bool
                default: true
              add:
                description:
                  - The names and values of the headers to add to every request. Values are text or whole numbers.
                    Quote anything else.
                  - Quote names that YAML does not read as text, such as C(on), C(no), C(~), C(1.10) or C(8080),
                    and values that it reads as a date and time. Unquoted ones are refused, because the text that
                    was written is already lost.
                  - It replaces the whole map. Names are compared ignoring case. Values are compared exactly, except
                    for white space around them, which is removed.
                  - If it is left out, the headers that are currently added stay. An empty dict clears them.
                  - A value V(VALUE_SPECIFIED_IN_NO_LOG_PARAMETER), the mask as which secret values are shown, keeps
                    the value that the service holds for that header.
                type: dict
              remove:
                description:
                  - The names of the headers to remove from every request. They are compared as a set, ignoring
                    case.
                  - If it is left out, the headers that are currently removed stay. An empty list clears them.
                type: list
                elements: str
              secret_headers:
                description:
                  - The names of further headers whose values are secret.
                  - It also applies with O(https_edges[].routes[].request_headers.state=absent), because the diff
                    shows what is removed.
                type: list
                elements: str
"""
