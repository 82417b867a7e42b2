/** Holds when an object says so itself: `client.wait(Deployment, ref, condition("Available"))`. */
export function condition(type: string, status: "True" | "False" | "Unknown" = "True"): (object: unknown) => boolean {
  return (object) => {
    const { conditions } = (object as Conditioned).status ?? {};
    return conditions?.some((one) => one.type === type && one.status === status) === true;
  };
}

interface Conditioned {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] | undefined } | undefined;
}
