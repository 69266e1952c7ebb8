/** Letters as tones, one after the other: audible, and as long as the text takes. Anything else is silent. */
export function playLetters(text: string, sampleRate: number, durationMs: number): Int16Array {
  const samples = new Int16Array(Math.round((sampleRate * durationMs) / 1000))
  const letters = [...text]
  if (letters.length === 0) return samples
  const span = samples.length / letters.length
  for (const [index, letter] of letters.entries()) {
    if (!/[\p{L}\p{N}]/u.test(letter)) continue
    const hertz = 200 + ((letter.toLowerCase().codePointAt(0) ?? 0) % 36) * 15
    const start = Math.floor(index * span)
    const end = Math.floor((index + 1) * span)
    for (let at = start; at < end; at++) {
      // It swells and fades, so that no click is heard between two letters.
      const envelope = Math.sin((Math.PI * (at - start)) / (end - start))
      samples[at] = Math.round(6_000 * envelope * Math.sin((2 * Math.PI * hertz * at) / sampleRate))
    }
  }
  return samples
}
