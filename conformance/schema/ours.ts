import { ApiError, badRequest, invalid } from "../../packages/cluster/src/status/index.ts";
import { compileSchema, DecodeError, type JsonSchema, type ScalePaths } from "../../packages/cluster/src/schema/index.ts";
import { named } from "./real.ts";
import { type Answer, type Case, group, kind, type Suite } from "./suite.ts";
