/** The decoded segments of a JSON pointer (`#/a/b` or `/a/b`). RFC 6901. */
export function pointerSegments(pointer: string): string[] {
  const path = pointer.startsWith('#') ? pointer.slice(1) : pointer
  if (path === '') return []
  return path
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** A JSON pointer as a URI fragment. */
export function segmentsToPointer(segments: readonly (string | number)[]): string {
  return segments.reduce<string>((pointer, segment) => childPointer(pointer, segment), '#')
}

export function childPointer(pointer: string, ...segments: readonly (string | number)[]): string {
  return segments.reduce<string>(
    (path, segment) => `${path}/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    pointer,
  )
}
