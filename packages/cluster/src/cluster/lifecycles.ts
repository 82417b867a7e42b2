import type { RunningApiServer } from "./api-server.ts";
import type { ControlPlane } from "./control-plane.ts";

/** The API server of a cluster, which starts with the first request and can be restarted. */
export interface ApiServerLifecycle {
  /** The server, while it is running. */
  readonly running: RunningApiServer | undefined;
  /** Starts the server on the first call. */
  start(): Promise<RunningApiServer>;
  /** Starts it again after `stop`. */
  restart(): Promise<RunningApiServer>;
  stop(): Promise<void>;
}

export function createApiServerLifecycle(start: () => Promise<RunningApiServer>): ApiServerLifecycle {
  let running: RunningApiServer | undefined;
  let starting: Promise<RunningApiServer> | undefined;
  const restart = () => {
    running = undefined;
    starting = (async () => {
      running = await start();
      return running;
    })();
    return starting;
  };
  return {
    get running() {
      return running;
    },
    start: () => starting ?? restart(),
    restart,
    async stop() {
      (await starting)?.stop();
    },
  };
}

/** The control plane of a cluster: one at a time. */
export interface ControlPlaneLifecycle {
  /** Starts the control plane unless it is running or disabled. */
  start(): void;
  isStarted(): boolean;
  /** Resolves when the control plane is running; at once if it is not started. */
  ready(): Promise<void>;
  nodes(): ControlPlane["nodes"];
  /** Stops the control plane; `start` starts another one. */
  stop(): Promise<void>;
  /** Makes `start` a no-op. */
  disable(): void;
}

export function createControlPlaneLifecycle(isDisabledByOptions: boolean, start: () => ControlPlane): ControlPlaneLifecycle {
  let isDisabled = isDisabledByOptions;
  let isStarted = false;
  let current: ControlPlane | undefined;
  return {
    start() {
      if (isDisabled || isStarted) return;
      // Set first: the control plane's first request calls start() again.
      isStarted = true;
      current = start();
    },
    isStarted: () => isStarted,
    ready: () => current?.ready ?? Promise.resolve(),
    nodes: () => current?.nodes ?? [],
    async stop() {
      await current?.stop();
      if (isDisabled) return;
      current = undefined;
      isStarted = false;
    },
    disable() {
      isDisabled = true;
    },
  };
}
