"""The Memcached operator and the cache of the benchmarks on kopf. KUBECONFIG names the server."""

import asyncio
import logging
import signal
import sys

import kopf
from kubernetes import config

config.load_kube_config()
logging.basicConfig(level=logging.INFO, stream=sys.stderr)
# The other peers log one line per object; kopf logs every step of a handler by default.
logging.getLogger("kopf.objects").setLevel(logging.WARNING)


async def main():
    stop = asyncio.Event()
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(signal_number, stop.set)
    await kopf.operator(standalone=True, clusterwide=True, stop_flag=stop)


# Handlers are registered on import.
if sys.argv[1] == "operator":
    import memcached_operator  # noqa: F401
else:
    import object_cache

    object_cache.register(sys.argv[2])

asyncio.run(main())
