/** Stands for a package that form-data requires and does not need here. */
module.exports = () => {}
