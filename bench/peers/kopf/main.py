"""The same operator and caches as the other peers have, on kopf. The server comes as KUBECONFIG."""

import asyncio
import logging
import signal
import sys

import kopf
from kubernetes import config

config.load_kube_config()
logging.basicConfig(level=logging.INFO, stream=sys.stderr)
# One line per object is what the others write; kopf would write one for every step of a handler.
logging.getLogger("kopf.objects").setLevel(logging.WARNING)


async def main():
    stop = asyncio.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(each, stop.set)
    await kopf.operator(standalone=True, clusterwide=True, stop_flag=stop)


# Handlers register themselves where they are imported.
if sys.argv[1] == "operator":
    import memcached_operator  # noqa: F401
else:
    import object_cache

    object_cache.register(sys.argv[2])

asyncio.run(main())
