# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A stand-in for the API of AWX: it keeps what it is sent, and refuses what AWX refuses, as far as docs/awx goes.

What it knows of AWX is from the sources of AWX 24.6.1: awx/api/views, awx/api/serializers.py, awx/api/filters.py,
awx/main/models. It runs nothing: that is awx_jobs.py.
"""

from __future__ import annotations

import json
import re
import threading
import typing as t
import urllib.parse
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import yaml

MASK = "$encrypted$"
TYPES = {
    "organizations": "organization",
    "projects": "project",
    "inventories": "inventory",
    "execution_environments": "execution_environment",
    "teams": "team",
    "users": "user",
    "credential_types": "credential_type",
    "credentials": "credential",
    "job_templates": "job_template",
    "workflow_job_templates": "workflow_job_template",
    "workflow_job_template_nodes": "workflow_job_template_node",
    "workflow_approval_templates": "workflow_approval_template",
}
ROLES = {
    "job_templates": ("admin", "execute", "read"),
    "workflow_job_templates": ("admin", "execute", "read", "approval"),
}
# The fields that AWX knows, with their values in an object that does not name them.
DEFAULTS: dict[str, dict[str, t.Any]] = {
    "credential_types": dict(name="", description="", kind="", inputs={}, injectors={}, managed=False),
    "credentials": dict(name="", description="", organization=None, credential_type=None, inputs={}),
    "job_templates": dict(
        name="", description="", organization=None, project=None, inventory=None, execution_environment=None,
        playbook="", job_type="run", extra_vars="", limit="", forks=0, verbosity=0, diff_mode=False, job_slice_count=1,
        survey_enabled=False, ask_limit_on_launch=False, ask_job_type_on_launch=False, ask_variables_on_launch=False,
        ask_job_slice_count_on_launch=False, ask_diff_mode_on_launch=False, allow_simultaneous=False,
    ),
    "workflow_job_templates": dict(
        name="", description="", organization=None, inventory=None, extra_vars="", limit=None, survey_enabled=False,
        ask_limit_on_launch=False, ask_variables_on_launch=False, allow_simultaneous=False,
    ),
    "workflow_job_template_nodes": dict(
        identifier="", workflow_job_template=None, unified_job_template=None, all_parents_must_converge=False,
        success_nodes=[], failure_nodes=[], always_nodes=[],
    ),
    "workflow_approval_templates": dict(name="", description="", timeout=0),
}  # fmt: skip
LINKS = ("success_nodes", "failure_nodes", "always_nodes")
QUESTION_TYPES = dict(
    text=str, textarea=str, password=str, integer=int, float=(int, float), multiplechoice=str, multiselect=str
)


class Refused(Exception):
    """The API refuses a request."""

    def __init__(self, status: int, body: dict):
        super().__init__(status, body)
        self.status, self.body = status, body


class AwxApi:
    """The stand-in, at C(url). C(objects) is what it holds, C(writes) what it was sent.

    C(after_write) is called after each write; after one whose path ends in C(stop_after) none is taken.
    """

    def __init__(self) -> None:
        self.objects: dict[str, dict[int, dict]] = {collection: {} for collection in TYPES}
        self.roles: dict[int, dict] = {}
        self.writes: list[tuple[str, str, dict]] = []
        self.after_write: Callable[[], None] = lambda: None
        self.stop_after: str | None = None
        self._last_id = 0
        self._lock = threading.Lock()

    def __enter__(self) -> AwxApi:
        api = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                with api._lock:
                    try:
                        if self.headers.get("Authorization") != "Bearer awx-token":
                            raise Refused(401, {"detail": "Authentication credentials were not provided."})
                        status, found = api._answer(self.command, self.path, json.loads(body) if body else {})
                    except Refused as refused:
                        status, found = refused.status, refused.body
                data = b"" if found is None else json.dumps(found).encode()
                self.send_response(status)
                self.send_header("X-API-Product-Name", "AWX")
                self.send_header("X-API-Product-Version", "24.6.1")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PATCH = do_DELETE = answer

            def log_message(self, format: str, *args: t.Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d" % self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    # What tests ask

    def add(self, collection: str, **fields: t.Any) -> int:
        """Make an object, as somebody did before."""
        self._last_id += 1
        number = self._last_id
        found = dict(DEFAULTS.get(collection, {}), id=number, type=TYPES[collection], **{})
        found = json.loads(json.dumps(found))
        found.update(fields)
        found["url"] = "/api/v2/%s/%d/" % (collection, number)
        found["related"] = {"survey_spec": found["url"] + "survey_spec/"}
        found["summary_fields"] = {"object_roles": {}}
        for role in ROLES.get(collection, ()):
            self._last_id += 1
            self.roles[self._last_id] = dict(object=number, role=role, teams=[], users=[])
            found["summary_fields"]["object_roles"][role + "_role"] = {"id": self._last_id, "name": role}
        self.objects[collection][number] = found
        return number

    def named(self, collection: str, name: str) -> dict:
        """The one object of this name."""
        key = "identifier" if collection == "workflow_job_template_nodes" else "name"
        (found,) = (one for one in self.objects[collection].values() if one[key] == name)
        return found

    def granted(self, collection: str, name: str) -> dict[str, dict[str, list[int]]]:
        """Who has which role on an object."""
        number = self.named(collection, name)["id"]
        return {
            one["role"]: {actors: one[actors] for actors in ("teams", "users") if one[actors]}
            for one in self.roles.values()
            if one["object"] == number and (one["teams"] or one["users"])
        }

    # The requests

    def _answer(self, method: str, target: str, data: dict) -> tuple[int, t.Any]:
        parts = urllib.parse.urlsplit(target)
        match = re.fullmatch(r"/api/v2/(\w+)/(?:(\d+)/(?:(\w+)/)?)?", parts.path)
        if not match:
            raise Refused(404, {"detail": "Not found."})
        collection, number, sub = match.group(1), int(match.group(2) or 0), match.group(3)
        if method == "GET":
            return 200, self._get(collection, number, sub, dict(urllib.parse.parse_qsl(parts.query)))
        if self.stop_after and any(path.endswith(self.stop_after) for _method, path, _data in self.writes):
            raise Refused(503, {"detail": "Stopped."})
        answer = self._write(method, collection, number, sub, data)
        self.writes.append((method, parts.path, data))
        self.after_write()
        return answer

    def _get(self, collection: str, number: int, sub: str | None, query: dict) -> dict:
        if collection == "roles":
            return page([{"id": one} for one in self.roles[number][sub or ""]])
        if not number:
            return page([self._shown(one) for one in self._all(collection) if fits(one, query)])
        found = self._one(collection, number)
        if sub is None:
            return self._shown(found)
        if sub == "survey_spec":
            return found.get("survey_spec", {})
        if sub in LINKS or sub == "credentials":
            return page([{"id": one} for one in found.setdefault(sub, [])])
        raise Refused(404, {"detail": "Not found."})

    def _write(self, method: str, collection: str, number: int, sub: str | None, data: dict) -> tuple[int, t.Any]:
        if collection == "roles":
            return self._associate(self.roles[number][sub or ""], data)
        if method == "POST" and not number and collection in DEFAULTS:
            return 201, self._shown(self._one(collection, self._create(collection, data)))
        found = self._one(collection, number)
        if method == "PATCH" and sub is None:
            self._set(collection, found, data)
            return 200, self._shown(found)
        if method == "POST" and sub == "survey_spec":
            check_survey(data)
            found["survey_spec"] = data
            return 200, {}
        if method == "POST" and sub == "create_approval_template":
            approval = self.add("workflow_approval_templates", **data)
            self._set_template(found, approval)
            return 201, self._one("workflow_approval_templates", approval)
        if method == "POST" and sub == "credentials":
            self._one("credentials", data["id"])
            return self._associate(found.setdefault(sub, []), data)
        if method == "POST" and collection == "workflow_job_template_nodes" and sub in LINKS:
            if not data.get("disassociate"):
                self._check_link(found, sub, self._one(collection, data["id"]))
            return self._associate(found[sub], data)
        raise Refused(405, {"detail": "Method not allowed."})

    def _associate(self, ids: list[int], data: dict) -> tuple[int, None]:
        if data.get("disassociate"):
            ids.remove(data["id"])
        elif data["id"] not in ids:
            ids.append(data["id"])
        return 204, None

    def _all(self, collection: str) -> list[dict]:
        if collection == "unified_job_templates":
            kinds = ("projects", "job_templates", "workflow_job_templates")
            return [one for kind in kinds for one in self.objects[kind].values()]
        if collection not in TYPES:
            raise Refused(404, {"detail": "Not found."})
        return list(self.objects[collection].values())

    def _one(self, collection: str, number: int) -> dict:
        for one in self._all(collection):
            if one["id"] == number:
                return one
        raise Refused(404, {"detail": "Not found."})

    def _shown(self, found: dict) -> dict:
        if found["type"] != "credential":
            return found
        secret = self._secret_fields(found)
        return dict(found, inputs={key: MASK if key in secret else value for key, value in found["inputs"].items()})

    def _secret_fields(self, credential: dict) -> set[str]:
        kind = self.objects["credential_types"][credential["credential_type"]]
        return {one["id"] for one in kind["inputs"]["fields"] if one.get("secret")}

    def _create(self, collection: str, data: dict) -> int:
        number = self.add(collection)
        try:
            self._set(collection, self.objects[collection][number], data, new=True)
        except Refused:
            del self.objects[collection][number]
            raise
        return number

    def _set(self, collection: str, found: dict, data: dict, new: bool = False) -> None:
        unknown = set(data) - set(DEFAULTS[collection]) - {"type"}
        if unknown:  # AWX ignores them; nobody means to send them
            raise Refused(400, {name: ["no such field"] for name in sorted(unknown)})
        after = dict(found, **{name: value for name, value in data.items() if name != "type"})
        after = json.loads(json.dumps(after))
        for name, related in RELATED.items():
            if after.get(name) is not None and name in DEFAULTS[collection]:
                self._one(related, after[name])
        self._check_unique(collection, after)
        if collection == "credential_types":
            used = any(one["credential_type"] == found["id"] for one in self.objects["credentials"].values())
            if used and after["inputs"] != found["inputs"]:
                raise Refused(403, {"detail": "Modifications to inputs are not allowed for types that are in use"})
        if collection == "credentials":
            self._keep_secrets(found, after, new)
        if collection in ("job_templates", "workflow_job_templates"):
            yaml.safe_load(after["extra_vars"])
        found.update(after)
        if collection == "workflow_job_template_nodes" and found["unified_job_template"]:
            self._set_template(found, found["unified_job_template"])

    def _set_template(self, node: dict, template: int) -> None:
        node["unified_job_template"] = template
        kinds = ("projects", "job_templates", "workflow_job_templates", "workflow_approval_templates")
        (url,) = (self.objects[kind][template]["url"] for kind in kinds if template in self.objects[kind])
        node["related"]["unified_job_template"] = url

    def _check_unique(self, collection: str, after: dict) -> None:
        keys = UNIQUE[collection]
        for one in self.objects[collection].values():
            if one["id"] != after["id"] and all(one[key] == after[key] for key in keys):
                raise Refused(400, {"__all__": ["%s with this %s exists." % (collection, " and ".join(keys))]})

    def _keep_secrets(self, found: dict, after: dict, new: bool) -> None:
        kind = self.objects["credential_types"][after["credential_type"]]
        unknown = set(after["inputs"]) - {one["id"] for one in kind["inputs"]["fields"]}
        if unknown or not all(isinstance(value, str) for value in after["inputs"].values()):
            raise Refused(400, {"inputs": ["not what the type says: %s" % sorted(after["inputs"])]})
        for name in self._secret_fields(after):
            if after["inputs"].get(name) == MASK:
                if new or name not in found["inputs"]:
                    raise Refused(400, {"inputs": ["%s is reserved" % MASK]})
                after["inputs"][name] = found["inputs"][name]

    def _check_link(self, parent: dict, link: str, child: dict) -> None:
        if any(child["id"] in parent[other] for other in LINKS if other != link):
            raise Refused(400, {"Error": "Relationship not allowed."})
        below = [child]
        while below:
            node = below.pop()
            if node["id"] == parent["id"]:
                raise Refused(400, {"Error": "Cycle detected."})
            below.extend(self._one("workflow_job_template_nodes", one) for name in LINKS for one in node[name])


RELATED = dict(
    organization="organizations", project="projects", inventory="inventories", credential_type="credential_types",
    execution_environment="execution_environments", workflow_job_template="workflow_job_templates",
    unified_job_template="unified_job_templates",
)  # fmt: skip
UNIQUE = {
    "credential_types": ("name", "kind"),
    "credentials": ("name", "organization", "credential_type"),
    "job_templates": ("name", "organization"),
    "workflow_job_templates": ("name", "organization"),
    "workflow_job_template_nodes": ("identifier", "workflow_job_template"),
}


def page(results: list[dict]) -> dict:
    return {"count": len(results), "next": None, "previous": None, "results": results}


def fits(one: dict, query: dict) -> bool:
    """Whether an object fits a query: fields that must be equal, and C(or__) of which one must."""
    either = {name[4:]: value for name, value in query.items() if name.startswith("or__")}
    both = {name: value for name, value in query.items() if not name.startswith("or__")}
    unknown = [name for name in (*either, *both) if name not in one]
    if unknown:
        raise Refused(400, {"detail": "%s has no field named %s" % (one["type"], ", ".join(unknown))})
    return all(str(one[name]) == value for name, value in both.items()) and (
        not either or any(str(one[name]) == value for name, value in either.items())
    )


def check_survey(spec: dict) -> None:
    """What AWX checks of a survey."""
    if not all(
        isinstance(spec.get(name), kind) for name, kind in (("name", str), ("description", str), ("spec", list))
    ):
        raise Refused(400, {"error": "a survey has a name, a description and a spec"})
    names = [one.get("variable") for one in spec["spec"]]
    if not names or len(set(names)) != len(names):
        raise Refused(400, {"error": "no question, or a variable twice"})
    for one in spec["spec"]:
        if not all(isinstance(one.get(name), str) for name in ("type", "question_name", "variable")):
            raise Refused(400, {"error": "type, question_name or variable is missing"})
        if not isinstance(one.get("required"), bool) or one["type"] not in QUESTION_TYPES:
            raise Refused(400, {"error": "required is no boolean, or there is no such type of question"})
        if one.get("default", "") != "" and not isinstance(one["default"], QUESTION_TYPES[one["type"]]):
            raise Refused(400, {"error": "the default is of another type"})
        if one["type"].startswith("multi"):
            if not isinstance(one.get("choices"), list) or one.get("default", "") not in one["choices"]:
                raise Refused(400, {"error": "no choices, or the default is none of them"})
