/**
 * Translates command lines of kubebuilder, operator-sdk and opm. Input: the arguments. Output: the equivalent arguments of `pintle`, or
 * undefined if nothing needs translation. Executes nothing.
 */
export { type TranslatedCommand, translateLegacyCommand } from "./translate.ts";
