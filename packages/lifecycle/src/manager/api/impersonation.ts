import { type Client, createClient } from "pintle/client";

/** A client that sends its requests as a ServiceAccount, over the connections of another client. Closing it closes nothing. */
export function impersonateServiceAccount(
  client: Client,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Client {
  const headers = { "impersonate-user": `system:serviceaccount:${namespace}:${name}` };
  return createClient({
    request: (request) => client.request({ ...request, headers: { ...request.headers, ...headers } }),
    close: async () => {},
  });
}
