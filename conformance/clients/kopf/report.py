"""The transcript: what the program sees of a server, a line per step."""

import json
import time

from kubernetes import client

_serialize = client.ApiClient().sanitize_for_serialization


def plain(seen):
    """An object of the client as the JSON it stands for."""
    return _serialize(seen)


def report_step(step, seen):
    print(f"{step}\t{json.dumps(plain(seen))}", flush=True)


def report_refusal(step, request):
    try:
        request()
    except client.ApiException as error:
        report_step(step, [error.status, json.loads(error.body)])
    else:
        raise RuntimeError(f"{step}: expected a refusal")


def eventually(what, ask, is_done):
    """Asks again until the answer is what one waits for."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        answer = ask()
        if is_done(answer):
            return answer
        time.sleep(0.05)
    raise TimeoutError(f"{what}: not within a minute; last seen: {answer}")
