"""The kind, and the operator that keeps a Deployment of the wanted size for every object of it."""

import kopf
from kubernetes import client

GROUP = "python.example.com"
PLURAL = "memcacheds"

DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"{PLURAL}.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": PLURAL, "kind": "Memcached"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {"type": "object", "properties": {"size": {"type": "integer", "minimum": 0}}},
                            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                        },
                    }
                },
            }
        ],
    },
}


@kopf.on.startup()
def configure(settings, **_):
    settings.persistence.finalizer = f"{GROUP}/farewell"
    settings.posting.enabled = False


@kopf.on.create(GROUP, "v1", PLURAL)
def create(body, spec, name, namespace, patch, **_):
    labels = {"app": name}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": {"operator": "kopf"}},
        "spec": {
            "replicas": spec["size"],
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "memcached", "image": "memcached:1.6"}]},
            },
        },
    }
    kopf.adopt(deployment)
    client.AppsV1Api().create_namespaced_deployment(namespace, deployment)
    patch.status["size"] = spec["size"]


@kopf.on.update(GROUP, "v1", PLURAL, field="spec.size")
def resize(new, name, namespace, patch, **_):
    client.AppsV1Api().patch_namespaced_deployment(name, namespace, {"spec": {"replicas": new}})
    patch.status["size"] = new


@kopf.on.delete(GROUP, "v1", PLURAL)
def farewell(name, namespace, **_):
    client.CoreV1Api().create_namespaced_config_map(namespace, {"metadata": {"name": "farewell"}})
    client.AppsV1Api().delete_namespaced_deployment(name, namespace)


@kopf.on.event("apps", "v1", "deployments", labels={"operator": "kopf"})
def followed(type, name, namespace, status, **_):
    if type == "DELETED":
        return
    body = {"status": {"ready": status.get("readyReplicas", 0)}}
    try:
        client.CustomObjectsApi().patch_namespaced_custom_object_status(GROUP, "v1", namespace, PLURAL, name, body)
    except client.ApiException as error:
        if error.status != 404:
            raise
