exports.setup = (api, manifest) => api.log(`${manifest.name} is here`);
