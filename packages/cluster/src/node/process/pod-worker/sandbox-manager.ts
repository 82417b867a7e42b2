import { ignoreError } from "pintle/internal/errors";
import { recordEvent } from "../record-event.ts";
import type { PodSandbox } from "../runtime/isolation-driver.ts";
import { writeHostFiles } from "../volume/host-files.ts";
import { buildVolumeContext } from "../volume/volume-context.ts";
import { prepareVolumes, type ResolvedMount, VolumeMountError } from "../volume/volume-manager.ts";
import type { PodRecord } from "./pod-record.ts";

/** Creates and closes the sandbox of a pod: its address, namespaces, volumes and host files. */
export interface SandboxManager {
  readonly sandbox: PodSandbox | undefined;
  readonly hostFiles: readonly ResolvedMount[];
  /** Starts the creation in the background, unless a failed attempt was just made. */
  create(now: number): void;
  /** Starts the shutdown in the background. */
  close(): void;
  /** Updates the files of ConfigMap, Secret and similar volumes once a minute. */
  refreshVolumes(now: number): Promise<void>;
  /** Returns when the creation is retried or the volumes are refreshed; undefined if neither is pending. */
  getNextSyncTime(): number | undefined;
  /** Closes the sandbox at once, without a state change. */
  destroy(): Promise<void>;
}

const VOLUME_REFRESH_PERIOD = 60_000;
const INITIAL_RETRY_DELAY = 500;
const MAX_RETRY_DELAY = 122_000;

export function createSandboxManager(record: PodRecord): SandboxManager {
  const { context, folder } = record;
  const { clock, driver, addresses } = context;
  let sandbox: PodSandbox | undefined;
  let hostFiles: readonly ResolvedMount[] = [];
  let retryDelay = INITIAL_RETRY_DELAY;
  let retryAt = 0;
  let refreshAt = 0;

  const setState = (state: "none" | "transitioning" | "ready" | "closed") => {
    record.state = { ...record.state, sandbox: state };
  };
  const createSandbox = async () => {
    const { pod, closed } = record;
    try {
      const address = allocateAddress();
      await prepareVolumes(pod, buildVolumeContext(context, pod, address, folder));
      if (closed.aborted) return;
      sandbox ??= await driver.createSandbox(pod, address);
      if (closed.aborted) return;
      hostFiles = await writeHostFiles(pod, address, folder, driver);
      refreshAt = clock.now() + VOLUME_REFRESH_PERIOD;
      setState("ready");
    } catch (error) {
      if (closed.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      const reason = error instanceof VolumeMountError ? "FailedMount" : "FailedCreatePodSandBox";
      recordEvent(context, pod, undefined, { type: "Warning", reason, message });
      setState("none");
      retryAt = clock.now() + retryDelay;
      retryDelay = Math.min(retryDelay * 2, MAX_RETRY_DELAY);
    }
    record.enqueue();
  };
  const allocateAddress = (): string => {
    const { metadata, spec, status } = record.pod;
    const { hostname = metadata.name, subdomain, hostNetwork } = spec;
    if (hostNetwork === true) return driver.hostAddress;
    const name = subdomain === undefined ? undefined : `${metadata.namespace}/${subdomain}/${hostname}`;
    return addresses.allocate(metadata.uid, { current: status.podIP, name });
  };
  const closeSandbox = async () => {
    const closing = sandbox;
    sandbox = undefined;
    await closing?.close().catch(() => {});
    setState("closed");
    record.enqueue();
  };

  return {
    get sandbox() {
      return sandbox;
    },
    get hostFiles() {
      return hostFiles;
    },
    create(now) {
      if (now < retryAt) return;
      setState("transitioning");
      record.tasks.add(createSandbox(), ignoreError);
    },
    close() {
      setState("transitioning");
      record.tasks.add(closeSandbox(), ignoreError);
    },
    async refreshVolumes(now) {
      if (record.state.sandbox !== "ready" || now < refreshAt) return;
      refreshAt = now + VOLUME_REFRESH_PERIOD;
      await prepareVolumes(record.pod, buildVolumeContext(context, record.pod, sandbox!.address, folder)).catch(() => {});
    },
    getNextSyncTime() {
      if (record.state.sandbox === "ready") return refreshAt;
      return record.state.sandbox === "none" ? retryAt : undefined;
    },
    async destroy() {
      await sandbox?.close().catch(() => {});
    },
  };
}
