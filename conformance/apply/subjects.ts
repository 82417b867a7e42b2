import { builtIn } from "./built-in.ts";
import type { Subject } from "./step.ts";
import { widget } from "./widget.ts";
import { deployments, pods, services } from "./workloads.ts";

export const subjects: readonly Subject[] = [widget, ...[deployments, services, pods].map(builtIn)];
