/**
 * `pintle dev` from the inside: the operator as a process of its own account, started again whenever its sources
 * change, and its log as a story for a reader.
 */
export { accountKubeconfig, grant } from "./account.ts";
export { heldVoice } from "./held-voice.ts";
export { kubectlShell } from "./kubectl-shell.ts";
export { OperatorProcess } from "./operator-process.ts";
export { rebuild } from "./rebuild.ts";
export { storyLine } from "./story-line.ts";
export { type DevWebhooks, devWebhooks } from "./webhooks.ts";
