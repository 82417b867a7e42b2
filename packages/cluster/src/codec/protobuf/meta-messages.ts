/**
 * Messages that are only ever answers, as the generated table would have them: lists of metadata, errors, discovery.
 * The numbers are those of k8s.io/apimachinery.
 */
export const META = `k8s.io.apimachinery.pkg.apis.meta.v1
\tListMeta 1.selfLink 2.resourceVersion 3.continue 4?remainingItemCount:n
\tStatus 1!metadata:ListMeta 2.status 3.message 4.reason 5?details:StatusDetails 6.code:n
\tStatusDetails 1.name 2.group 3.kind 4.causes:[StatusCause] 5.retryAfterSeconds:n 6.uid
\tStatusCause 1.reason 2.message 3.field
\tPartialObjectMetadata 1!metadata:ObjectMeta
\tAPIVersions 1!versions:[] 2!serverAddressByClientCIDRs:[ServerAddressByClientCIDR]
\tServerAddressByClientCIDR 1!clientCIDR 2!serverAddress
\tAPIGroupList 1!groups:[APIGroup]
\tAPIGroup 1!name 2!versions:[GroupVersionForDiscovery] 3.preferredVersion:GroupVersionForDiscovery 4.serverAddressByClientCIDRs:[ServerAddressByClientCIDR]
\tGroupVersionForDiscovery 1!groupVersion 2!version
\tAPIResourceList 1!groupVersion 2!resources:[APIResource]
\tAPIResource 1!name 6!singularName 2!namespaced:b 8.group 9.version 3!kind 4!verbs:e 5.shortNames:[] 7.categories:[] 10.storageVersionHash`;

/** Those that answers name themselves after. */
export const META_KINDS: ReadonlySet<string> = new Set(
  "Status PartialObjectMetadata APIVersions APIGroupList APIGroup APIResourceList".split(" "),
);
