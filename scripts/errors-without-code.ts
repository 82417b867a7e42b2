/**
 * Finds errors without a code in the sources of the packages. Every error that a user can meet has one; an impossible state is an `InternalError`.
 * What remains is listed below with the place that turns it into an error with a code, a Kubernetes `Status`, or an Event.
 */

/** Files whose plain errors reach no user, with the place that handles them. */
const HANDLED: Readonly<Record<string, string>> = {
  "packages/cli/src/upgrade/tokenize.ts": "rewriteProject reports the file as not rewritten",
  "packages/cluster/src/admission/policy/type-checking.ts": "a warning in the status of the policy",
  "packages/cluster/src/api/crd/webhook-client.ts": "Status: conversion webhook failed",
  "packages/cluster/src/api/crd/webhook-converter.ts": "Status: conversion webhook failed",
  "packages/cluster/src/api/http/serve-request.ts": "ends a request whose client disconnected",
  "packages/cluster/src/api/http/web-socket/frames.ts": "closes the connection of a client",
  "packages/cluster/src/api/http/web-socket/message-channel.ts": "closes the connection of a client",
  "packages/cluster/src/apply/managed-fields/field-managers.ts": "Status: managedFields cannot be decoded",
  "packages/cluster/src/codec/json/exact-parser.ts": "ends a visit; caught in the same file",
  "packages/cluster/src/codec/protobuf/encode.ts": "the object is sent as JSON",
  "packages/cluster/src/controllers/cron-job/schedule.ts": "Status or Event, in the words of the CronJob controller",
  "packages/cluster/src/dropin/etcd/object-holder.ts": "closes the connection of an API server",
  "packages/cluster/src/dropin/kube-apiserver/admission-config.ts": "Status in the words of ImagePolicyWebhook",
  "packages/cluster/src/dropin/kube-apiserver/cluster-options.ts": "klog line in the words of kube-apiserver",
  "packages/cluster/src/dropin/kube-apiserver/main.ts": "klog line in the words of kube-apiserver",
  "packages/cluster/src/node/etcd/etcd-connection.ts": "readiness of a simulated etcd",
  "packages/cluster/src/node/process/environment/downward-api.ts": "container state CreateContainerConfigError",
  "packages/cluster/src/node/process/image/oci/image-source.ts": "cause of an ImagePullError",
  "packages/cluster/src/node/process/image/oci/pull-image.ts": "cause of an ImagePullError",
  "packages/cluster/src/node/process/image/oci/tar-reader.ts": "cause of an ImagePullError",
  "packages/cluster/src/node/process/image/oci/unpack-layer.ts": "cause of an ImagePullError",
  "packages/cluster/src/node/process/image/path-in-root.ts": "cause of an ImagePullError, or a container state in the words of the kubelet",
  "packages/cluster/src/node/process/runtime/pod-address-allocator.ts": "Event FailedCreatePodSandBox",
  "packages/cluster/src/node/process/runtime/pod-bridge.ts": "cause of PINTLE6322, or Event FailedCreatePodSandBox",
  "packages/cluster/src/node/process/runtime/process.ts": "container state CreateContainerError",
  "packages/cluster/src/node/process/runtime/running-container.ts": "container state CreateContainerError, or Status of exec",
  "packages/cluster/src/node/process/streams/pod-port.ts": "Status of port-forward, in the words of the kubelet",
  "packages/cluster/src/node/process/volume/projected-files.ts": "Event FailedMount",
  "packages/cluster/src/node/process/volume/volume-manager.ts": "Event FailedMount",
  "packages/cluster/src/node/simulated/simulated-streams.ts": "Status of exec or port-forward, in the words of the kubelet",
  "packages/cluster/src/schema/printer-columns/json-path-parser.ts": "Status of the CRD, or an empty cell",
  "packages/cluster/src/schema/printer-columns/json-path.ts": "an empty cell",
  "packages/cluster/src/schema/re2/parse.ts": "Status or CEL error, in the words of Go's regexp",
  "packages/cluster/src/schema/structural/field-path.ts": "Status: invalid fieldPath of a validation rule",
  "packages/cluster/src/store/etcd/client.ts": "cause of a StoreError with PINTLE6520",
  "packages/cluster/src/store/etcd/grpc-frames.ts": "cause of a StoreError with PINTLE6520",
  "packages/cluster/src/store/etcd/protobuf-wire.ts": "cause of a StoreError with PINTLE6520",
  "packages/cluster/src/streams/remote-command/spdy-client.ts": "closes the connection of a client",
  "packages/cluster/src/streams/spdy/header-block.ts": "closes the connection of a client",
  "packages/cluster/src/streams/spdy/spdy-connection.ts": "closes the connection of a client",
  "packages/cluster/src/streams/spdy/spdy-frames.ts": "closes the connection of a client",
  "packages/cluster/src/streams/spdy/spdy-stream.ts": "ends a stream whose client closed it",
  "packages/console/src/page/data/api.ts": "the failure that the server of the page explained",
  "packages/pintle/src/client/access/text-source.ts": "cause of a ConfigError with PINTLE1008",
  "packages/pintle/src/client/http/pooled-response.ts": "cause of a ConnectionError",
  "packages/pintle/src/loopback/read-body.ts": "the request was aborted: no response can be sent",
  "packages/pintle/src/merge/field-set/fields-v1.ts": "Status: managedFields cannot be decoded",
  "packages/pintle/src/merge/field-set/path-element.ts": "Status: managedFields cannot be decoded",
  "packages/pintle/src/telemetry/tracing.ts": "wraps a thrown value that is not an Error for the tracer",
  "packages/pintle/src/webhook/review/review-admission.ts": "the response of a webhook, in the words of the API",
  "packages/pintle/src/webhook/server/review-server.ts": "the request was aborted: no response can be sent",
};

/** Classes without a code, with the reason. */
const HANDLED_CLASSES: Readonly<Record<string, string>> = {
  ApiError: "a Kubernetes Status",
  BodyDecodeError: "Status: the body cannot be decoded",
  BodyTooLarge: "response with HTTP status 413",
  BudgetExceededError: "Status of the admission request",
  CallingWebhookError: "Status: failed calling webhook",
  CelSyntaxError: "Status or warning with the position in the expression",
  CompileError: "Status or warning of a CEL expression",
  ContainerConfigError: "container state CreateContainerConfigError",
  ContainerStartError: "container state StartError",
  CostExceeded: "Status of a validation rule",
  DecodeError: "Status: the object cannot be decoded",
  EtcdFlagError: "usage error in the words of etcd",
  FlagError: "usage error in the words of kube-apiserver",
  GrpcError: "cause of a StoreError",
  ImagePullError: "container state ErrImagePull",
  Interrupted: "ends the command with the exit code of the signal",
  InvalidResponseError: "Status: failed calling webhook",
  JsonPathError: "an empty cell of a table",
  LabelSelectorSyntaxError: "Status, or an error with PINTLE1040",
  MetricError: "condition of a HorizontalPodAutoscaler",
  MutationError: "Status of the admission request",
  PatchError: "Status of the admission request",
  PathNotFound: "Status: the server could not find the requested resource",
  PlanError: "a CompileError",
  PolicyConfigurationError: "Status of the admission request",
  SelectorError: "condition of a HorizontalPodAutoscaler",
  SettingsError: "usage error in the words of kube-apiserver",
  StaleConnectionError: "the call of the webhook is repeated",
  TooManyRequestsError: "Status with Retry-After",
  TooManyValuesError: "response with HTTP status 413",
  UndecodablePatchError: "Status of the admission request",
  UndecodableResponseError: "Status: failed calling webhook",
  UrlError: "Status: the URL is invalid",
  VolumeMountError: "Event FailedMount",
  WebhookTransportError: "Status: failed calling webhook",
  WireError: "cause of a ConnectionError",
};

const PLAIN = "(?:Error|TypeError|RangeError|SyntaxError|AggregateError)";

/** A source file: its path in the repository and its text. */
export interface SourceFile {
  readonly file: string;
  readonly text: string;
}

/** Returns one problem per error without a code, and per entry of the tables above that no source needs. */
export function findErrorsWithoutCode(sources: readonly SourceFile[], { checkTables = false } = {}): readonly string[] {
  const needed = new Set<string>();
  const problems = sources.flatMap(({ file, text }) => [...findPlainErrors(file, text, needed), ...findPlainClasses(file, text, needed)]);
  const stale = [...Object.keys(HANDLED), ...Object.keys(HANDLED_CLASSES)].filter((entry) => checkTables && !needed.has(entry));
  return [...problems, ...stale.map((entry) => `scripts/errors-without-code.ts: ${entry} is listed, and no source needs it`)];
}

function findPlainErrors(file: string, text: string, needed: Set<string>): readonly string[] {
  return text.split("\n").flatMap((line, index) => {
    if (/^\s*(\*|\/\/|\/\*)/.test(line) || !new RegExp(`new ${PLAIN}\\(`).test(line)) return [];
    // The reason of an AbortSignal is the cause of the error that the aborted call throws; an error that is given a code has one.
    if (new RegExp(`\\babort\\(new ${PLAIN}\\(`).test(line) || new RegExp(`Object\\.assign\\(new ${PLAIN}\\(.*\\bcode:`).test(line))
      return [];
    if (!Object.hasOwn(HANDLED, file))
      return [`${file}:${index + 1}: this error has no code. Throw a PintleError, or an InternalError for a bug`];
    needed.add(file);
    return [];
  });
}

function findPlainClasses(file: string, text: string, needed: Set<string>): readonly string[] {
  return [...text.matchAll(new RegExp(`^(?:export )?class (\\w+) extends ${PLAIN} \\{(\\}|[\\s\\S]*?^\\})`, "gm"))].flatMap(
    ([, name, body]) => {
      if (/\bcode: ErrorCode\b/.test(body ?? "")) return [];
      if (!Object.hasOwn(HANDLED_CLASSES, name ?? ""))
        return name === "PintleError" ? [] : [`${file}: class ${name} has no code. Extend PintleError`];
      needed.add(name ?? "");
      return [];
    },
  );
}
