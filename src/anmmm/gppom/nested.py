"""Options of a fit as parameters of the estimators that hand them on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Self

from anmmm.gppom.options import FitOptions

PREFIX = "fit_options__"


class NestedFitOptions:
    """Mixin of estimators with a parameter ``fit_options``, before ``BaseEstimator``.

    Every field of `FitOptions` is reached as scikit-learn reaches those of an estimator within an
    estimator: ``set_params(fit_options__n_starts=3)``, and so by ``GridSearchCV``. The class
    attribute `fit_defaults` has the defaults that are others than those of `FitOptions`.
    """

    fit_defaults: ClassVar[dict[str, Any]] = {}
    fit_options: dict[str, Any] | None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters.

        Parameters
        ----------
        deep : bool
            Whether the options of the fit are among them, each by its name.

        Returns
        -------
        dict
        """
        params: dict[str, Any] = super().get_params(deep=deep)  # type: ignore[misc]
        if deep:
            known = {each.name: each.default for each in fields(FitOptions)}
            # What is no mapping is refused by ``fit``, as scikit-learn wants it.
            given = self.fit_options if isinstance(self.fit_options, Mapping) else {}
            known |= {**self.fit_defaults, **given}
            params |= {f"{PREFIX}{name}": value for name, value in known.items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, and options of the fit by ``fit_options__`` and their name.

        Parameters
        ----------
        **params

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a name is unknown; the message has the known ones.
        """
        nested = {name: params.pop(name) for name in [*params] if name.startswith(PREFIX)}
        super().set_params(**params)  # type: ignore[misc]
        if not nested:
            return self
        known = [each.name for each in fields(FitOptions)]
        unknown = [name for name in nested if name.removeprefix(PREFIX) not in known]
        if unknown:
            raise ValueError(
                f"{unknown[0]!r} is no parameter of {type(self).__name__}; the options of a fit "
                f"are {', '.join(PREFIX + name for name in known)}"
            )
        # A new dict: the old one may be that of a clone, or of the caller.
        options = {name.removeprefix(PREFIX): value for name, value in nested.items()}
        self.fit_options = {**(self.fit_options or {}), **options}
        return self
