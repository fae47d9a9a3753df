# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.edgeops.edges.plugins.module_utils._descriptions.tcp_edge_backend import DESCRIPTION
from ansible_collections.edgeops.edges.plugins.module_utils._work import single_work
from ansible_collections.edgeops.edges.plugins.plugin_utils._action import EdgeActionBase


class ActionModule(EdgeActionBase):
    work = single_work(DESCRIPTION)
