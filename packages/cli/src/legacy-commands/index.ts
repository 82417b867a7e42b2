/**
 * Translates command lines of kubebuilder and operator-sdk. Input: the arguments. Output: the equivalent arguments of `pintle`, or
 * undefined if nothing needs translation. Executes nothing.
 */
export { type TranslatedCommand, translateLegacyCommand } from "./translate.ts";
