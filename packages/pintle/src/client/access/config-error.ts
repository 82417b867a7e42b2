/** The configuration cannot be used; nothing was sent anywhere. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** No credentials could be had; nothing was sent anywhere. Worth another try when what hands them out has recovered. */
export class CredentialsError extends Error {
  override readonly name = "CredentialsError";
}
