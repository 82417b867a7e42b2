"""Fills an index with all objects of a kind, prints the cost, then prints each marker it sees. kopf has no metadata-only watches."""

import gc
import json
import os
import time

import kopf

KINDS = {"pods": ("v1", "pods"), "workers": ("bench.example.com", "v1", "workers")}


def register(kind):
    before, started = resident_bytes(), time.perf_counter()

    @kopf.on.startup()
    def configure(settings, **_):
        settings.posting.enabled = False
        settings.scanning.disabled = True

    @kopf.index(*KINDS[kind], id="objects")
    async def objects(body, name, **_):
        if name.startswith("marker-"):
            print("seen", name, time.time_ns() // 1000, flush=True)
        return {name: dict(body)}

    # kopf calls other handlers only when every index is filled, so the first event marks the end of the sync.
    @kopf.on.event("v1", "namespaces", field="metadata.name", value="default")
    async def report_sync(objects: kopf.Index, memo, **_):
        if "reported" in memo:
            return
        memo["reported"] = True
        elapsed = time.perf_counter() - started
        gc.collect()
        # Python does not report the memory in use; the growth of the RSS is an approximation.
        report = {"objects": len(objects), "milliseconds": elapsed * 1000, "heapBytes": resident_bytes() - before}
        print(json.dumps(report), flush=True)


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
