/**
 * Finds the entry whose key is the longest beginning of a code, so that `SAFETY.INPUT.TEXT` meets `SAFETY.INPUT`
 * before `SAFETY`. A key ends where the code ends or where a new part of it begins: `SAFETY` meets `SAFETY.INPUT`,
 * not `SAFETYNET`. A key that ends in the separator and a star says the same as without them.
 *
 * @param separator What stands between the parts of a code. Default: a full stop.
 * @returns `undefined` when no key matches.
 * @public
 */
export function longestPrefixMatch<Value>(
  code: string,
  table: Readonly<Record<string, Value>>,
  separator = '.',
): Value | undefined {
  let found: Value | undefined
  let foundLength = -1
  for (const [key, value] of Object.entries(table)) {
    const prefix = key.endsWith(`${separator}*`) ? key.slice(0, -separator.length - 1) : key
    if (prefix.length <= foundLength) continue
    if (code !== prefix && !code.startsWith(prefix + separator)) continue
    found = value
    foundLength = prefix.length
  }
  return found
}
