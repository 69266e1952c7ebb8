/** Renders a string as a sequence of tones, one for each letter or digit. Other characters are silent. */
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
      // Each tone fades in and out, which avoids clicks.
      const envelope = Math.sin((Math.PI * (at - start)) / (end - start))
      samples[at] = Math.round(6_000 * envelope * Math.sin((2 * Math.PI * hertz * at) / sampleRate))
    }
  }
  return samples
}
