import { createSamplePod } from "../client/sample-pod.ts";

/** The AdmissionReview of a pod creation. #### is replaced by a uid. */
export const admissionReview = JSON.stringify({
  kind: "AdmissionReview",
  apiVersion: "admission.k8s.io/v1",
  request: {
    uid: "####",
    kind: { group: "", version: "v1", kind: "Pod" },
    resource: { group: "", version: "v1", resource: "pods" },
    requestKind: { group: "", version: "v1", kind: "Pod" },
    requestResource: { group: "", version: "v1", resource: "pods" },
    name: "bench",
    namespace: "default",
    operation: "CREATE",
    userInfo: {
      username: "system:serviceaccount:kube-system:replicaset-controller",
      groups: ["system:serviceaccounts", "system:authenticated"],
    },
    object: createSamplePod("bench"),
    oldObject: null,
    dryRun: false,
    options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
  },
});
