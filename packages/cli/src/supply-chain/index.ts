/**
 * Signatures, SBOMs and provenance of the images that Pintle builds. Input: a pushed image, what it contains, and a key. Output: artifacts beside the
 * image in its registry. Keys are read from files or variables, never printed.
 */
export { listBundleComponents, listProgramComponents } from "./components.ts";
export {
  EVIDENCE_DESCRIPTIONS,
  EVIDENCE_OPTIONS,
  type Evidence,
  type EvidenceChoice,
  publishEvidence,
  readEvidenceChoice,
} from "./evidence.ts";
export { readKeyFile, readKeyPassword } from "./key-files.ts";
export { loadSigstore } from "./keyless.ts";
