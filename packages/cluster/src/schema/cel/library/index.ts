/** The function libraries of Kubernetes 1.36: what rules can call. */
import { declareFunctions, type FunctionDeclaration } from "../check/functions.ts";
import { authz } from "./authz.ts";
import { conversions } from "./conversions.ts";
import { lists, sets } from "./lists.ts";
import { namedFormats } from "./named-formats.ts";
import { addresses, urls } from "./network.ts";
import { operators } from "./operators.ts";
import { optionals } from "./optionals.ts";
import { quantities } from "./quantities.ts";
import { semver } from "./semver.ts";
import { strings } from "./strings.ts";
import { time } from "./time.ts";

let declared: ReadonlyMap<string, FunctionDeclaration> | undefined;

/** Declared on first use: only rules need them. */
export function functions(): ReadonlyMap<string, FunctionDeclaration> {
  declared ??= declareFunctions([
    operators,
    conversions,
    time,
    strings,
    lists,
    sets,
    optionals,
    addresses,
    urls,
    quantities,
    semver,
    namedFormats,
    authz,
  ]);
  return declared;
}
