import { disableAdmissionPlugins } from "../builtin/admission.ts";
import { startControlPlane } from "../real/index.ts";
import type { Start } from "./server.ts";

/** A kube-apiserver, with controllers, scheduler and a node where the chapter needs them. */
export const real: Start = (on) => startControlPlane({ disableAdmissionPlugins, ...(on === "api" ? {} : { nodes: 1 }) });
