/** Where activation links lead: the contract shows no form (section 2.9). In the notation of the endpoint declarations. */
export const activationPath = '/activate/{token}'

export const activationAddress = (token: string, baseUrl: string) =>
  baseUrl + activationPath.replace('{token}', token)

/** @returns `undefined` for what is no activation link */
export const activationToken = (address: string): string | undefined =>
  /\/activate\/(\w+)$/.exec(address)?.[1]
