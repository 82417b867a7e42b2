/**
 * Stand-ins for `kube-apiserver` and `etcd`, for a KUBEBUILDER_ASSETS folder: suites of envtest in Go, Java or Rust run on
 * the embedded API server without a change. In come their command lines; the flags are those of the real ones, taken
 * down from them (conformance/envtest/record-flags.ts). The executables are small scripts in the package's folder
 * `assets`; out of here goes where that is.
 */
export { assetsFolder } from "./assets-folder.ts";
