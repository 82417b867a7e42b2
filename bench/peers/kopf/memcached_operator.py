"""Creates a Deployment and a status for every Memcached."""

import logging
import sys
import time

import kopf
from kubernetes import client

GROUP, VERSION, PLURAL = "cache.example.com", "v1alpha1", "memcacheds"
LABEL = f"{GROUP}/memcached"
log = logging.getLogger("operator")


@kopf.on.startup()
def configure(settings, **_):
    settings.posting.enabled = False
    # As many threads as the other peers have workers.
    settings.execution.max_workers = 10
    settings.networking.request_timeout = 60
    settings.scanning.disabled = True


@kopf.index("pods", labels={LABEL: kopf.PRESENT})
async def nodes(name, namespace, labels, **_):
    return {(namespace, labels[LABEL]): name}


@kopf.on.resume(GROUP, VERSION, PLURAL)
@kopf.on.create(GROUP, VERSION, PLURAL)
@kopf.on.update(GROUP, VERSION, PLURAL, field="spec")
def reconcile(reason, spec, name, namespace, meta, patch, status, nodes: kopf.Index, **_):
    # The latency benchmark reads when a change reaches the reconciler.
    if meta["generation"] > 1:
        sys.stdout.write(f"{name} {meta['generation']} {time.time_ns() // 1000}\n")
        sys.stdout.flush()
    deployment = create(name, namespace, spec) if reason == "create" else resize(name, namespace, spec)
    ready = deployment.status.ready_replicas or 0
    patch.status.update(status_for(name, namespace, spec, meta, status, ready, nodes))


def create(name, namespace, spec):
    desired = deployment_for(name, spec)
    kopf.adopt(desired)
    log.info("creating Deployment %s/%s", namespace, name)
    try:
        return client.AppsV1Api().create_namespaced_deployment(namespace, desired)
    except client.ApiException as error:
        if error.status != 409:
            raise
        return resize(name, namespace, spec)


def resize(name, namespace, spec):
    try:
        return client.AppsV1Api().patch_namespaced_deployment(name, namespace, {"spec": {"replicas": spec["size"]}})
    except client.ApiException as error:
        if error.status != 404:
            raise
        return create(name, namespace, spec)


@kopf.on.event("apps", "v1", "deployments", labels={LABEL: kopf.PRESENT})
def update_status(type, name, namespace, status, nodes: kopf.Index, **_):
    ready = status.get("readyReplicas", 0)
    if type == "DELETED" or ready == 0:
        return
    custom = client.CustomObjectsApi()
    memcached = custom.get_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL, name)
    desired = status_for(name, namespace, memcached["spec"], memcached["metadata"], memcached.get("status", {}), ready, nodes)
    custom.patch_namespaced_custom_object_status(GROUP, VERSION, namespace, PLURAL, name, {"status": desired})


def status_for(name, namespace, spec, meta, status, ready, index):
    names = sorted(index.get((namespace, name), []))
    state = "True" if ready >= spec["size"] else "False"
    before = next((condition for condition in status.get("conditions", []) if condition["type"] == "Available"), {})
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    available = {
        "type": "Available",
        "status": state,
        "reason": "Ready" if state == "True" else "PodsMissing",
        "message": f"{ready} of {spec['size']} pods are ready",
        "observedGeneration": meta["generation"],
        "lastTransitionTime": before["lastTransitionTime"] if before.get("status") == state else now,
    }
    return {
        "nodes": names,
        "replicas": len(names),
        "selector": f"{LABEL}={name}",
        "observedGeneration": meta["generation"],
        "conditions": [available],
    }


def deployment_for(name, spec):
    labels = {"app.kubernetes.io/name": "memcached", LABEL: name}
    container = {
        "name": "memcached",
        "image": spec["image"],
        "args": ["memcached", "-m", "64", "-o", "modern"],
        "ports": [{"name": "memcached", "containerPort": 11211}],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "replicas": spec["size"],
            "selector": {"matchLabels": {LABEL: name}},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }
