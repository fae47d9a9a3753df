# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  api_key:
    description:
      - The API key, which is sent as the bearer credential. White space around it is removed.
      - It is required, here or in the environment variable E(EDGE_API_KEY) where the module runs. Blank or null counts
        as not given.
    type: str
  base_url:
    description:
      - The base address of the edge API, such as V(https://api.example.com). It may end in a slash and may have a path.
      - It is required, here or in the environment variable E(EDGE_API_BASE_URL) where the module runs. Blank or null
        counts as not given.
    type: str
  api_version:
    description:
      - The version of the API, which is sent in the header that O(version_header) names.
      - If it is not given, the environment variable E(EDGE_API_VERSION) is used.
    type: str
    default: "2"
  version_header:
    description:
      - The name of the header that selects the version of the API, for a compatible service with another name for it.
      - If it is not given, the environment variable E(EDGE_API_VERSION_HEADER) is used.
    type: str
    default: Service-Version
  validate_certs:
    description:
      - Whether the service's TLS certificate must be valid. V(false) takes precedence over O(ca_path).
    type: bool
    default: true
  ca_path:
    description:
      - The path of a CA bundle (PEM) to verify the service's certificate with, instead of the default one. It takes
        precedence over the environment variables E(REQUESTS_CA_BUNDLE) and E(CURL_CA_BUNDLE).
      - If it is not given, the environment variable E(EDGE_API_CA_PATH) is used.
    type: path
  client_cert:
    description:
      - The path of a client certificate (PEM) for mutual TLS. The file may also contain the private key.
    type: path
  client_key:
    description:
      - The path of the private key of O(client_cert), if that file does not contain it.
    type: path
  use_proxy:
    description:
      - Whether the proxy variables of the environment (E(HTTPS_PROXY), E(HTTP_PROXY), E(ALL_PROXY), E(NO_PROXY)) are
        used.
    type: bool
    default: true
  timeout:
    description:
      - Seconds to wait for a connection, and seconds to wait between two bytes of an answer. At least 1.
    type: float
    default: 30.0
  retries:
    description:
      - How often a request is repeated after a connection error and after the answers 429, 502, 503 and 504. It is safe
        to repeat any request of this collection.
      - The waits between the tries grow from half a second, each up to twice as long as the one before. If the service
        sends C(Retry-After), that time is waited instead.
    type: int
    default: 5
  retry_max_wait:
    description:
      - The most seconds that one wait may last. If the service asks for more, the task fails at once and says how long
        the service asked to wait.
    type: float
    default: 60.0
  allow_plain_http:
    description:
      - Whether O(base_url) may begin with C(http://) for a host other than C(localhost), C(127.0.0.0/8) and C(::1). The
        key is then sent in clear text.
    type: bool
    default: false
requirements:
  - requests (Python library) where the module runs
"""
