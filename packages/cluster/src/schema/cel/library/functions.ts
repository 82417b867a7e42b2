/** The function libraries of Kubernetes 1.36. */
import { memoize } from "pintle/internal/memoize";
import { declareFunctions, type FunctionDeclaration } from "../check/functions.ts";
import { authorizerFunctions } from "./authz.ts";
import { conversionFunctions } from "./conversions.ts";
import { listFunctions, setFunctions } from "./lists.ts";
import { namedFormatFunctions } from "./named-formats.ts";
import { addressFunctions, urlFunctions } from "./network.ts";
import { operatorFunctions } from "./operators.ts";
import { optionalFunctions } from "./optionals.ts";
import { quantityFunctions } from "./quantities.ts";
import { semverFunctions } from "./semver.ts";
import { stringFunctions } from "./strings.ts";
import { timeFunctions } from "./time.ts";

/** Returns all function declarations, built on first use. */
export const getFunctionDeclarations: () => ReadonlyMap<string, FunctionDeclaration> = memoize(() =>
  declareFunctions([
    operatorFunctions,
    conversionFunctions,
    timeFunctions,
    stringFunctions,
    listFunctions,
    setFunctions,
    optionalFunctions,
    addressFunctions,
    urlFunctions,
    quantityFunctions,
    semverFunctions,
    namedFormatFunctions,
    authorizerFunctions,
  ]),
);
