/** YAML as Go's Kubernetes libraries read it. In: text. Out: JSON values. Pure. */
export { parseYamlDocument, parseYamlDocuments } from "./parse-yaml.ts";
