/**
 * The objects that a fresh kube-apiserver creates: namespaces, bootstrap roles and bindings, priority classes, flow schemas, the service
 * CIDR, the `kubernetes` Service. A store and the parameters of the server come in; the objects are written to the store, from templates
 * recorded on a real server (conformance/access/record-bootstrap.ts).
 */
export { createBootstrapObjects, publishServerObjects } from "./bootstrap.ts";
export type { BootstrapParameters, ServerObjectParameters } from "./object-templates.ts";
