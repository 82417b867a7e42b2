import type { Pod } from "pintle/kinds/core/v1";

/** The annotation of mirror pods, which show a process that was not started through the API server. */
export const MIRROR_ANNOTATION = "kubernetes.io/config.mirror";

/** Returns whether a pod is a mirror pod, which the node must not start. */
export const isMirrorPod = ({ metadata }: Pod): boolean => metadata.annotations?.[MIRROR_ANNOTATION] !== undefined;
