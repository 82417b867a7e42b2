/** Hostile requests with another status than kube-apiserver's, and why. */
export const knownDifferences: Readonly<Record<string, string>> = {
  "very deep": "objects go 1,000 levels deep here, 10,000 upstream",
  "merge: deep": "objects go 1,000 levels deep here, 10,000 upstream",
  "replicas 1e3": "a whole number is a whole number, however it is written",
  "replicas 1e-400": "a number too small to tell from zero is zero",
  "protobuf to a custom resource": "upstream hangs up; here it is a bad request",
};
