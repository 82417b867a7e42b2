"""
A kopf operator, and its user, in one program: what they see of an API server goes to stdout, a line per step.
The namespace comes as the only argument, the server as KUBECONFIG.
"""

import asyncio
import os
import sys
import threading

import kopf
from kubernetes import client, config
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock

config.load_kube_config()

import memcached  # noqa: E402: its handlers register themselves, and its clients need the configuration
import user  # noqa: E402
from report import eventually, report_step  # noqa: E402


def main(namespace):
    core = client.CoreV1Api()
    core.create_namespace({"metadata": {"name": namespace}})
    names = [each.metadata.name for each in core.list_namespace().items]
    report_step("namespaces", [name for name in names if name in ("default", namespace)])
    install()
    lead(namespace)

    ready, stop = threading.Event(), threading.Event()
    operator = threading.Thread(
        target=lambda: asyncio.run(
            kopf.operator(standalone=True, namespaces=[namespace], ready_flag=ready, stop_flag=stop)
        ),
        daemon=True,
    )
    operator.start()
    try:
        if not ready.wait(30):
            raise TimeoutError("the operator does not start")
        user.play(namespace)
    finally:
        stop.set()
        operator.join(30)


def install():
    extensions = client.ApiextensionsV1Api()
    extensions.create_custom_resource_definition(memcached.DEFINITION)
    name = memcached.DEFINITION["metadata"]["name"]

    def is_served(crd):
        return any(each.type == "Established" and each.status == "True" for each in crd.status.conditions or [])

    report_step("definition", eventually("the kind is served", lambda: extensions.read_custom_resource_definition(name), is_served))


def lead(namespace):
    """Acquires a Lease with the client's leader election; kopf has none."""
    leading = threading.Event()
    election = electionconfig.Config(
        LeaseLock("operator", namespace, "me"),
        lease_duration=17,
        renew_deadline=15,
        retry_period=5,
        onstarted_leading=leading.set,
        onstopped_leading=None,
    )
    threading.Thread(target=leaderelection.LeaderElection(election).run, daemon=True).start()
    if not leading.wait(30):
        raise TimeoutError("no leader elected")
    report_step("led", client.CoordinationV1Api().read_namespaced_lease("operator", namespace).spec)


main(sys.argv[1])
# The election thread never ends, and an interpreter that shuts down around it may crash.
sys.stdout.flush()
os._exit(0)
