// The installed packages are links.
export default { turbopack: { root: '/' } }
