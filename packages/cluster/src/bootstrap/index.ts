/**
 * The objects a fresh kube-apiserver makes by itself: namespaces, bootstrap roles and bindings, priority classes, flow
 * schemas, the service CIDR, the `kubernetes` Service. Comes in: a store and what differs between servers. They go
 * straight into the store, from lines taken down from a real server (conformance/access/record-bootstrap.ts).
 */
export { announce, bootstrap } from "./bootstrap.ts";
export type { Birth, ServerFacts } from "./objects.ts";
