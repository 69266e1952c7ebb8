// Generated from specs/media/openapi.yaml by @concord/generate. Do not edit.

/** Returns whether a number is an integer. Unlike zod's `int()`, this accepts integers of any size, such as 1e300. */
export function isInteger(value: number): boolean {
  return Number.isInteger(value)
}

let uri: RegExp | undefined

/** Returns whether a string is a URI with a scheme (RFC 3986). As in Ajv, something must follow the scheme. */
export function isUri(value: string): boolean {
  // Most URIs match this pattern. The pattern for the whole grammar is compiled only when it is needed.
  if (
    /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?(?:\/[\w.~!$&'()*+,;=:@/-]*)?(?:\?[\w.~!$&'()*+,;=:@/?-]*)?$/i.test(
      value,
    )
  )
    return true
  uri ??= uriExpression()
  return uri.test(value)
}

function uriExpression(): RegExp {
  const escaped = '%[0-9a-f]{2}'
  const plain = "a-z0-9\\-._~!$&'()*+,;="
  const character = `(?:[${plain}:@]|${escaped})`
  const byte = '(?:25[0-5]|2[0-4]\\d|[01]?\\d\\d?)'
  const group = '[0-9a-f]{1,4}'
  const last = `(?:${group}:${group}|(?:${byte}\\.){3}${byte})`
  const upTo = (count: number) => `(?:(?:${group}:){0,${count}}${group})?::`
  const shortened = [0, 1, 2, 3, 4].map((count) => `${upTo(count)}(?:${group}:){${4 - count}}${last}`)
  const ipv6 = [
    `(?:${group}:){6}${last}`,
    `::(?:${group}:){5}${last}`,
    ...shortened,
    `${upTo(5)}${group}`,
    upTo(6),
  ]
  const host = `(?:\\[(?:${ipv6.join('|')}|v[0-9a-f]+\\.[${plain}:]+)\\]|(?:[${plain}]|${escaped})*)`
  const authority = `(?:(?:[${plain}:]|${escaped})*@)?${host}(?::\\d*)?`
  const segments = `(?:/${character}*)*`
  const path = `(?:/?/${authority}${segments}|/(?:${character}+${segments})?|${character}+${segments})`
  const tail = `(?:[${plain}:@/?]|${escaped})*`
  return new RegExp(`^[a-z][a-z0-9+\\-.]*:${path}(?:\\?${tail})?(?:#${tail})?$`, 'i')
}
