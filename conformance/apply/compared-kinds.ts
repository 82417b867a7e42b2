import { toComparedKind } from "./built-in.ts";
import type { ComparedKind } from "./step.ts";
import { widget } from "./widget.ts";
import { deployments, pods, services } from "./workloads.ts";

export const comparedKinds: readonly ComparedKind[] = [widget, ...[deployments, services, pods].map(toComparedKind)];
