export { jsonText } from "../codec/index.ts";
