// Writes two files with the workspace's rolldown, whose path is on the command line.
const { rolldown } = await import(process.argv[2])

for (const [format, file] of [
  ['esm', 'out/rolldown.mjs'],
  ['cjs', 'out/rolldown.cjs'],
]) {
  const bundle = await rolldown({
    input: 'app.js',
    platform: 'node',
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message)
    },
  })
  await bundle.write({ format, file, codeSplitting: false })
  await bundle.close()
}
