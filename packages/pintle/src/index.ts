export * as z from "zod";
export { meta, optional } from "./kinds/index.ts";
export * from "./resource/index.ts";
