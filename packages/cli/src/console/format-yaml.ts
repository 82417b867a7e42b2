import type { JsonObject } from "pintle/kinds";
import { toYaml } from "../manifests/index.ts";

/** One object as YAML, without the line that separates documents. */
export const formatYaml = (object: JsonObject): string => toYaml([object]).replace(/^---\n/, "");
