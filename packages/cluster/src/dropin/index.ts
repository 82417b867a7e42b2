/**
 * Drop-in programs `kube-apiserver` and `etcd` for a KUBEBUILDER_ASSETS folder: envtest suites in Go, Java or Rust run on the embedded API
 * server unchanged. In come the command lines of these programs, with the flags of the real ones, which conformance/envtest/record-flags.ts
 * records; out comes the folder of the executables, small scripts in `assets/`. `kube-apiserver/` and `etcd/` hold the two programs.
 */
export { getAssetsFolder } from "./assets-folder.ts";
