"""What people do while the operator runs, with the Python client of the Kubernetes project."""

import json
import threading

from kubernetes import client, watch

from memcached import GROUP, PLURAL
from report import eventually, plain, report_step, report_refusal


def play(namespace):
    verbs(namespace)
    refusals(namespace)
    memcached(namespace)


def verbs(namespace):
    """Writes one ConfigMap with every verb while it is watched."""
    core = client.CoreV1Api()
    selector = "transcript=yes"
    none = core.list_namespaced_config_map(namespace, label_selector=selector)
    report_step("none yet", none)
    events = []
    since = none.metadata.resource_version
    stream = watch.Watch().stream(
        core.list_namespaced_config_map, namespace, label_selector=selector, resource_version=since, timeout_seconds=30
    )
    follow = threading.Thread(target=collect, args=(stream, events, 7), daemon=True)
    follow.start()

    body = {
        "metadata": {"name": "settings", "labels": {"transcript": "yes"}},
        "data": {"mode": "slow"},
        "binaryData": {"raw": "AAH/"},
    }
    created = core.create_namespaced_config_map(namespace, body, field_manager="user")
    report_step("created", created)
    stale = plain(created)
    created.data["mode"] = "fast"
    report_step("updated", core.replace_namespaced_config_map("settings", namespace, created))

    # The client sends a list as a JSON patch and an object as a strategic merge patch by default.
    def patch(step, body, content_type=None, **more):
        if content_type is not None:
            more["_content_type"] = content_type
        report_step(step, core.patch_namespaced_config_map("settings", namespace, body, **more))

    patch("merge patched", {"data": {"extra": "1"}}, "application/merge-patch+json")
    patch("JSON patched", [{"op": "remove", "path": "/data/extra"}])
    patch("strategically patched", {"metadata": {"annotations": {"note": "ä"}}})
    applied = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"applied": "yes"}}
    patch("applied", applied, "application/apply-patch+yaml", field_manager="applier")
    patch("tried", {"data": {"mode": "dry"}}, dry_run="All")
    applied["data"] = {"applied": "no"}
    report_refusal(
        "conflict of appliers", lambda: patch("", applied, "application/apply-patch+yaml", field_manager="another")
    )
    report_refusal("conflict of writers", lambda: core.replace_namespaced_config_map("settings", namespace, stale))
    report_step("deleted", core.delete_namespaced_config_map("settings", namespace))
    follow.join(20)
    report_step("events", events)


def collect(stream, events, count):
    for event in stream:
        events.append([event["type"], event["raw_object"]])
        if len(events) == count:
            return


def refusals(namespace):
    core = client.CoreV1Api()
    report_refusal("a wrong name", lambda: core.create_namespaced_config_map(namespace, {"metadata": {"name": "Not A Name"}}))
    report_refusal("nothing there", lambda: core.read_namespaced_pod("missing", namespace))
    pods = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "b", "image": "c"}]}}
    stray = {"metadata": {"name": "stray"}, "spec": {"selector": {"matchLabels": {"app": "b"}}, "template": pods}}
    report_refusal("a stray selector", lambda: client.AppsV1Api().create_namespaced_deployment(namespace, stray))
    small = {"apiVersion": f"{GROUP}/v1", "kind": "Memcached", "metadata": {"name": "small"}, "spec": {"size": -1}}
    custom = client.CustomObjectsApi()
    report_refusal("a wrong size", lambda: custom.create_namespaced_custom_object(GROUP, "v1", namespace, PLURAL, small))


def memcached(namespace):
    """Follows one through its life."""
    custom = client.CustomObjectsApi()
    apps = client.AppsV1Api()
    place = (GROUP, "v1", namespace, PLURAL)

    def read():
        return custom.get_namespaced_custom_object(*place, "cache")

    def ready(size):
        def is_ready(it):
            status = it.get("status", {})
            known = json.loads(it["metadata"].get("annotations", {}).get("kopf.zalando.org/last-handled-configuration", "{}"))
            return status.get("ready") == size == status.get("size") == known.get("spec", {}).get("size")

        report_step("ready", eventually(f"{size} ready", read, is_ready))
        deployment = apps.read_namespaced_deployment("cache", namespace)
        owners = deployment.metadata.owner_references
        report_step("owned", {"owners": owners, "spec": deployment.spec, "ready": deployment.status.ready_replicas})

    body = {"apiVersion": f"{GROUP}/v1", "kind": "Memcached", "metadata": {"name": "cache"}, "spec": {"size": 2}}
    report_step("Memcached", custom.create_namespaced_custom_object(*place, body))
    ready(2)
    custom.patch_namespaced_custom_object(*place, "cache", {"spec": {"size": 3}})
    ready(3)
    custom.delete_namespaced_custom_object(*place, "cache")
    gone("Memcached", read)
    gone("Deployment", lambda: apps.read_namespaced_deployment("cache", namespace))
    report_step("farewell", client.CoreV1Api().read_namespaced_config_map("farewell", namespace))


def gone(what, ask):
    def is_missing():
        try:
            ask()
            return False
        except client.ApiException as error:
            return error.status == 404

    eventually(f"{what} gone", is_missing, lambda missing: missing)
