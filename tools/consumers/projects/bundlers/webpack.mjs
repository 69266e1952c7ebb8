import webpack from 'webpack'

import configurations from './webpack.config.cjs'

const stats = await new Promise((resolve, reject) => {
  webpack(configurations, (error, result) => (error ? reject(error) : resolve(result)))
})
if (stats.hasErrors() || stats.hasWarnings()) {
  console.error(stats.toString({ colors: false }))
  process.exit(1)
}
console.log('no warnings')
