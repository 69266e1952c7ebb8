import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'

export default {
  input: 'app.js',
  output: { file: 'out/rollup.mjs', inlineDynamicImports: true },
  external: /^node:/,
  plugins: [nodeResolve({ exportConditions: ['node'], preferBuiltins: true }), commonjs()],
  onwarn: (warning) => {
    throw new Error(warning.message)
  },
}
