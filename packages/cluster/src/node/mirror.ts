import type { Pod } from "pintle/kinds/core/v1";

/** What a pod carries that only shows what runs without the API server's doing. */
export const MIRROR = "kubernetes.io/config.mirror";

/** True for pods that a node does not start, but tells of. */
export const isMirror = ({ metadata }: Pod): boolean => metadata.annotations?.[MIRROR] !== undefined;
