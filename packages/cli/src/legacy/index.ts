/**
 * What users of kubebuilder and operator-sdk type, in the words of today. In comes a command line; out comes another one, or
 * undefined where there is nothing to translate. Nothing is run here.
 */
export { type Modern, modern } from "./modern.ts";
