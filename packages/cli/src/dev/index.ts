/**
 * The parts of `pintle dev`: the operator process with its own service account, the rebuild and type check on source changes, the webhook
 * proxy, and the formatting of log lines.
 */

export { createBufferedIo } from "./buffered-io.ts";
export { createDevWebhooks, type DevWebhooks } from "./dev-webhooks.ts";
export { formatLogLine } from "./format-log-line.ts";
export { openKubectlShell } from "./kubectl-shell.ts";
export { applyOperatorRbac, createServiceAccountKubeconfig } from "./operator-account.ts";
export { OperatorProcess } from "./operator-process.ts";
export { createTypeChecker } from "./type-checker.ts";
export { watchBuild } from "./watch-build.ts";
