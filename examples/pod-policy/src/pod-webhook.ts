import { webhook } from "pintle";
import { Pod } from "pintle/kinds/core/v1";

/** Namespaces opt in with this label. */
export const LABEL = "policy.example.com/pods";
const HAS_FIXED_VERSION = /(:(?!latest$)[^/:]+|@sha256:[a-f0-9]{64})$/;

export const podWebhook = webhook(Pod, {
  subresources: ["ephemeralcontainers"],
  namespaceSelector: { matchLabels: { [LABEL]: "restricted" } },
  default({ spec }) {
    spec.securityContext = { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" }, ...spec.securityContext };
    spec.automountServiceAccountToken ??= false;
  },
  validate({ object: { spec } }) {
    const containers = (["containers", "initContainers", "ephemeralContainers"] as const).flatMap((list) =>
      (spec[list] ?? []).map((container, i) => ({ ...container, at: `spec.${list}[${i}]` as const })),
    );
    const mutable = containers.filter(({ image = "" }) => !HAS_FIXED_VERSION.test(image));
    const privileged = containers.filter(({ securityContext }) => securityContext?.privileged === true);
    return {
      errors: [
        ...mutable.map(({ at, image }) => ({ field: `${at}.image` as const, message: `${image}: must have a tag other than latest` })),
        ...privileged.map(({ at }) => ({ field: `${at}.securityContext.privileged` as const, message: "must not be privileged" })),
      ],
      warnings: containers.filter(({ resources }) => !resources?.limits?.["memory"]).map(({ at }) => `${at}: has no memory limit`),
    };
  },
});
